package localsock

import "golang.org/x/sys/unix"

func peerOf(fd int) (peer, error) {
	cred, err := unix.GetsockoptXucred(fd, 0, unix.LOCAL_PEERCRED) // 0 is the level of sockets of this kind
	if err != nil {
		return peer{}, err
	}
	pid, err := unix.GetsockoptInt(fd, 0, unix.LOCAL_PEERPID)
	return peer{int(cred.Uid), pid}, err
}
