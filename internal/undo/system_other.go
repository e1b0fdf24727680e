//go:build !unix

package undo

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const openFlags = 0

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func keepOwner(*os.File, fs.FileInfo) {}
