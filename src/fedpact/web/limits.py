"""What the server takes on: sizes of what is sent, sizes of federations, how long work may last."""

from __future__ import annotations

from dataclasses import dataclass

import fedpact as fp


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most that is taken on; whatever is refused is told which limit it breaks."""

    upload_bytes: int = 20_000_000
    """Of everything that is sent in one request."""
    agents: int = 200
    hypotheses: int = 2_000
    quick_seconds: float = 30.0
    """For work that a page waits for: reading a file, a draft of a plan."""
    job_seconds: float = 300.0
    """For everything else."""
    memory_bytes: int = 4 * 2**30
    """Of one process that works."""
    waiting: int = 200
    """Jobs that wait for a process."""
    federations: int = 200
    """Files that are kept; the one that was not looked at for longest is forgotten first."""
    answers: int = 2_000
    """Answers that are kept, likewise."""
    runs: int = 50
    """Runs of the protocol that are kept, likewise."""

    def check_federation(self, fed: fp.Federation) -> None:
        """Raise if a federation is larger than what is taken on."""
        sizes = (("agents", fed.k, self.agents), ("hypotheses", fed.H_given, self.hypotheses))
        for what, size, most in sizes:
            if size > most:
                raise fp.FederationError(
                    f"this page takes up to {most:,} {what}; the federation has {size:,}: plan it on the command "
                    "line (fedpact plan FILE), or start the page with a higher limit (fedpact serve --help)"
                )
