package probe

import "parley/internal/doctor"

// Checks returns the checks of Run, in order and without an outcome.
func Checks() (all []doctor.Finding) {
	for _, c := range checks {
		all = append(all, doctor.Finding{Check: c.name, Section: c.section})
	}
	return all
}
