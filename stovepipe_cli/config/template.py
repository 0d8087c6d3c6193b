"""The commented profile file that a new user starts from."""

_TEMPLATE = """\
# Profiles of stovepipe: one for each database that you look after.
# A setting is off while its line starts with '#'; remove that one character to turn it on.
# A flag wins over the environment, the environment over a profile; 'stovepipe config show' tells what counts.
# Relative file names start at this file's directory. Times are written like 500ms, 5s, 15m, 2h or 7d.

# The profile in use while neither --profile nor STOVEPIPE_PROFILE names one.
#default_profile: prod

profiles:
  #prod:
    # Where the Stovepipe tables are: a URL, or the service's own DSN, user@tcp(host:3306)/database.
    #database_url: mysql://stovepipe_audit@db.example.com:3306/submitqueue

    # Where the password is; it is read anew for every connection. Instead of a file:
    #   password_command: pass show stovepipe/prod     (run without a shell)
    #   password_env: STOVEPIPE_PROD_PASSWORD
    #   defaults_file: prod.cnf                        (a MySQL option file)
    #password_file: prod.password

    # verify: true checks certificate and host name, ca the certificate alone, false neither.
    #tls:
      #ca: ca.pem
      #cert: client-cert.pem
      #key: client-key.pem
      #verify: true

    # A name of your own for this database, so that a repair plan still fits after a failover.
    #database_id: stovepipe-prod

    # A replica for verify, history and lists; and servers whose lag slows writing down.
    #read_url: mysql://stovepipe_audit@replica.example.com:3306/submitqueue
    #lag_urls: ["mysql://stovepipe_audit@replica.example.com:3306/submitqueue"]

    # The queues of this database; one alone is the default for --queue.
    #queues: [main]

    # Ask for the queue's name before anything is written, and want a ledger of its own.
    #protected: true
    #ledger_url: sqlite:///ledger.db

    # The first request that has a history, or none for all of them.
    #history_since: request/main/1

    # Tables whose absence makes a verify incomplete.
    #expect_tables: [request_summary, request_acceptance]

    # Younger requests are still on their way and are not reported as damaged.
    #min_age: 15m
    #clock_skew_ms: 5000
    #max_builds: 64

    # The zone in which tables show times: UTC, local, or a name such as Europe/Berlin.
    #time_zone: UTC

    # When writing waits: replica lag, load of the server, rows a second, and while a file exists.
    #throttle:
      #max_lag: 10s
      #max_load: Threads_running=50
      #rate: 500
      #pause_file: pause
"""


def profile_template() -> str:
    """YAML that is valid as it stands, with no profile, and whole once every `#` right before a key is removed."""
    return _TEMPLATE
