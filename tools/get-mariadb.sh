#!/bin/sh
# Gets the mariadbd program for the tests where that needs no question: as root with apt-get.
# It installs the server's program alone; no database is started or configured.
set -eu

PATH="$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin:/opt/homebrew/opt/mariadb/bin:/usr/local/opt/mariadb/bin"

found() {
    command -v mariadbd >/dev/null 2>&1 && command -v mariadb-install-db >/dev/null 2>&1
}

# A cluster is tested where its parts are there. The scripts that move rows between nodes belong to the package of the
# whole server, which would start one, so they alone are taken out of it.
get_galera() {
    case "${CI:-}" in "" | 0 | false) return 0 ;; esac
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 || return 0
    [ -e /usr/lib/galera/libgalera_smm.so ] && [ -x "$scripts/wsrep_sst_rsync" ] && return 0
    apt-get -qq install -y --no-install-recommends galera-4 rsync iproute2 >/dev/null 2>&1 || return 0
    parts=$(mktemp -d)
    (
        cd "$parts"
        chmod 755 .
        apt-get -qq download mariadb-server >/dev/null 2>&1
        dpkg-deb -x mariadb-server_*.deb .
    ) && mkdir -p "$scripts" && cp "$parts"/usr/bin/wsrep_sst_rsync "$parts"/usr/bin/wsrep_sst_common "$scripts" || true
    rm -rf "$parts"
}

scripts=$(dirname "$0")/../.venv/galera

if found; then
    get_galera
    exit 0
fi

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing mariadb-server-core for the tests"
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    # One unreachable source out of several must not stop the install, which is what decides.
    apt-get -qq update || true
    apt-get -qq install -y --no-install-recommends mariadb-server-core mariadb-client-core >/dev/null || true
    if found; then
        get_galera
        exit 0
    fi
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
