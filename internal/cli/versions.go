package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/record"
)

// How long, and for how many agents, parley remembers the protocol version. Not forever, because
// agents are updated.
const (
	versionLife = 7 * 24 * time.Hour
	maxVersions = 200
)

// versions is an acpclient.Versions stored in a small file in the user's state directory. Commands
// are stored as hashes, because their arguments may hold secrets. If the file cannot be read or
// written, nothing is remembered.
type versions struct {
	path string // "" if there is nowhere to store it
	now  func() time.Time

	mu    sync.Mutex
	known map[string]knownVersion // nil until read
}

type knownVersion struct {
	Version   int       `json:"version"`
	LearnedAt time.Time `json:"told"`
}

// rememberedVersions returns the versions of this user.
func rememberedVersions() *versions {
	v := &versions{now: time.Now}
	if dir, err := record.StateDir(); err == nil {
		v.path = filepath.Join(dir, "versions.json")
	}
	return v
}

// Version implements acpclient.Versions.
func (v *versions) Version(agent string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.read()
	k := v.known[hashed(agent)]
	if age := v.now().Sub(k.LearnedAt); age < 0 || age > versionLife {
		return 0
	}
	return k.Version
}

// Remember implements acpclient.Versions.
func (v *versions) Remember(agent string, version int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known = nil // another parley may have written the file
	v.read()
	key, now := hashed(agent), v.now()
	if k := v.known[key]; k.Version == version && now.Sub(k.LearnedAt) >= 0 && now.Sub(k.LearnedAt) < versionLife/2 {
		return
	}
	for other, k := range v.known {
		if now.Sub(k.LearnedAt) > versionLife || len(v.known) >= maxVersions {
			delete(v.known, other)
		}
	}
	v.known[key] = knownVersion{version, now.UTC()}
	v.write()
}

func hashed(agent string) string {
	sum := sha256.Sum256([]byte(agent))
	return hex.EncodeToString(sum[:16])
}

// read reads the file, once. The caller holds mu.
func (v *versions) read() {
	if v.known != nil {
		return
	}
	v.known = map[string]knownVersion{}
	if v.path == "" {
		return
	}
	data, err := os.ReadFile(v.path)
	if err == nil && json.Unmarshal(data, &v.known) != nil || v.known == nil {
		v.known = map[string]knownVersion{}
	}
}

// write replaces the file. The caller holds mu.
func (v *versions) write() {
	if v.path == "" {
		return
	}
	data, err := json.Marshal(v.known)
	if err != nil || os.MkdirAll(filepath.Dir(v.path), 0o700) != nil {
		return
	}
	_ = atomicfile.Write(v.path, data) // on failure the agent is asked again next time
}
