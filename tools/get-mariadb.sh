#!/bin/sh
# Gets the mariadbd program for the tests where that needs no question: as root with apt-get.
# It installs the server's program alone; no database is started or configured.
set -eu

PATH="$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin:/opt/homebrew/opt/mariadb/bin:/usr/local/opt/mariadb/bin"

found() {
    command -v mariadbd >/dev/null 2>&1 && command -v mariadb-install-db >/dev/null 2>&1
}

found && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing mariadb-server-core for the tests"
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    # One unreachable source out of several must not stop the install, which is what decides.
    apt-get -qq update || true
    apt-get -qq install -y --no-install-recommends mariadb-server-core mariadb-client-core >/dev/null || true
    found && exit 0
fi

install="apt-get install mariadb-server-core mariadb-client-core, or brew install mariadb"
case "${CI:-}" in
    "" | 0 | false)
        echo "mariadbd not found: the MySQL half of the tests is skipped ($install)" >&2
        ;;
    *)
        echo "mariadbd not found, and CI is set: the MySQL half of the tests must run ($install)" >&2
        exit 1
        ;;
esac
