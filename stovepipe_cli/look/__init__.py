"""What there is in a queue, for somebody who looks: issues, facts, requests and the queue itself. Reads only."""
