"""What a file has beside its bytes and times: owner, permission bits, extended attributes.

Access control lists are among the extended attributes.
"""

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from spark_tui.vcs import extended_attributes
from spark_tui.vcs.disk import Disk

# The user may not give this attribute, or the file system cannot hold it.
_WITHHELD = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL})


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a file has beside its bytes and times.

    Args:
        user, group: The numbers of the owners.
        mode: The permission bits.
        extended: The extended attributes by name.
    """

    user: int
    group: int
    mode: int
    extended: Mapping[str, bytes]

    @classmethod
    def of(cls, file: int) -> "Attributes":
        """Read the attributes of an open file."""
        status = os.fstat(file)
        return cls(status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode), _extended(file))

    def give(self, file: int, disk: Disk) -> str | None:
        """Give these attributes to an open file that spark has created.

        Returns:
            In a few words what cannot be given; None: everything was given.

        Raises:
            OSError: The disk refused.
        """
        own = Attributes.of(file)
        try:
            # Owner first: a chown takes file capabilities, which are an extended attribute, from a
            # file.
            if (self.user, self.group) != (own.user, own.group):
                disk.set_owner(file, self.user, self.group)
        except OSError as e:
            return _withheld(e, "it belongs to someone else")
        try:
            # A new file may have attributes of its own, such as the default access list of its
            # folder.
            for name in own.extended.keys() - self.extended.keys():
                disk.drop_attribute(file, name)
            for name, value in self.extended.items():
                if own.extended.get(name) != value:
                    disk.set_attribute(file, name, value)
        except OSError as e:
            return _withheld(e, "it has attributes that only the system may give")
        # Last: giving a file away takes setuid and setgid from it.
        disk.set_mode(file, self.mode)
        return None


def _withheld(error: OSError, reason: str) -> str:
    """Return the reason where an error means that an attribute cannot be given; raise any other."""
    if error.errno not in _WITHHELD:
        raise error
    return reason


def _extended(file: int) -> dict[str, bytes]:
    """The extended attributes of an open file; none where the file system has no such thing."""
    try:
        return extended_attributes.read(file)
    except OSError as e:
        if e.errno not in {errno.EOPNOTSUPP, errno.ENOTSUP}:
            raise
        return {}
