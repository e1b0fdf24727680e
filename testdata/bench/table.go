//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// figure is one row of the table, with its value in each round.
type figure struct {
	name, unit, against string
	values, baselines   []float64
}

// table collects figures in the order in which they were first added.
type table struct {
	rows []*figure
}

// add adds a value of a round, without a baseline.
func (t *table) add(name, unit string, value float64) { t.beside(name, unit, value, "", math.NaN()) }

// beside adds a value of a round and its baseline.
func (t *table) beside(name, unit string, value float64, against string, baseline float64) {
	i := slices.IndexFunc(t.rows, func(f *figure) bool { return f.name == name })
	if i < 0 {
		i = len(t.rows)
		t.rows = append(t.rows, &figure{name: name, unit: unit, against: against})
	}
	f := t.rows[i]
	f.values, f.baselines = append(f.values, value), append(f.baselines, baseline)
}

// print writes the medians. The spread is that of the ratios if there is a baseline, else that
// of the values.
func (t *table) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer tw.Flush()
	fmt.Fprintln(tw, "goal\tfigure\tbaseline\tratio\tspread")
	for _, f := range t.rows {
		var ratios []float64
		for i, base := range f.baselines {
			if !math.IsNaN(base) && base != 0 {
				ratios = append(ratios, f.values[i]/base)
			}
		}
		baseline, ratio := "", ""
		spread := short(slices.Min(f.values)) + " to " + short(slices.Max(f.values))
		if f.against != "" {
			baseline = short(median(f.baselines)) + " " + f.against
		}
		if len(ratios) == len(f.values) {
			ratio = short(median(ratios)) + "x"
			spread = short(slices.Min(ratios)) + "x to " + short(slices.Max(ratios)) + "x"
		}
		fmt.Fprintf(tw, "%s\t%s %s\t%s\t%s\t%s\n", f.name, short(median(f.values)), f.unit, baseline, ratio, spread)
	}
}

// short formats a number with three digits and without an exponent.
func short(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "?"
	case a == 0:
		return "0"
	case a >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	default:
		return strconv.FormatFloat(x, 'f', max(0, min(4, 2-int(math.Floor(math.Log10(a))))), 64)
	}
}

// quantile returns the value below which a share p of the values lies, NaN if there are none.
func quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return s[int(math.Ceil(p*float64(len(s)-1)))]
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// slope returns the exponent e of the best fit y = c * x^e: 0 if y does not depend on x, 1 if
// it is proportional to it.
func slope(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		lx, ly := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
