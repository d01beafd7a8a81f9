# fig08_quality_ttft.gp - panels a to d: TTFT ratio, EM, F1, first-token agreement.
#
# Left: measured, a mark and its interval a method. Right: published, hollow bars
# without intervals, in the same colours' tint. Hatched: not run on this machine.
# Reads the files RK_DATA_*.csv that the .sql file of this name writes.

measured = rk_data."_measured.csv"
missing = rk_data."_missing.csv"
published = rk_data."_published.csv"
unrun = rk_data."_unrun.csv"

# What was run decides the width: names and counts from the data files.
set datafile separator comma
groups = 0; slots = 1; methods = ""; gaps = 0; holes = 0; printed = 0
stats rk_data."_groups.csv" skip 1 using (groups = groups + 1, slots = $4, 1) nooutput
stats rk_data."_methods.csv" skip 1 using (methods = methods." ".strcol(2), 1) nooutput
set table $count
plot missing skip 1 using (gaps = gaps + 1, 1):(1) with points, \
     unrun skip 1 using (holes = holes + 1, 1):(1) with points, \
     published skip 1 using (printed = printed + 1, 1):(1) with points
unset table

rk_width = 680 + int(groups * (60 + 24 * slots))
rk_width = rk_width < 1400 ? 1400 : rk_width
rk_height = 1543
load rk_plots."/style.gp"

# ---- places, as shares of the page ----
px = 1.0 / rk_width
py = 1.0 / rk_height
left_from = 90 * px
right_to = 1 - 20 * px
right_from = right_to - 460 * px
left_to = right_from - 70 * px
if (printed == 0) { left_to = right_to }
top = 1 - 178 * py
panel = 222 * py
step = 298 * py
panel_top(i) = top - i * step
panel_bottom(i) = panel_top(i) - panel
half = 0.86 / slots * 0.42

# Marks with intervals; a missing interval leaves the mark alone.
is(metric, method) = (strcol(5) eq metric && strcol(3) eq method)
at(metric, method) = is(metric, method) ? column(4) : NaN
bound(c) = strcol(c) eq "" ? column(8) : column(c)

set multiplot
set style fill solid 1
set style textbox opaque noborder fillcolor rgb "#ffffff" margins 0.4, 0.6

# ---- heads ----
set label 1 "Measured here" at screen left_from, screen 1 - 34 * py left font rk_font.",15" textcolor rgb rk_ink
if (printed > 0) {
    set label 2 "Published (other hardware)" at screen right_from, screen 1 - 34 * py left font rk_font.",15" textcolor rgb rk_soft
}

# ---- legend: a row of marks over the left panels ----
set lmargin at screen left_from; set rmargin at screen left_to
set tmargin at screen 1 - 50 * py; set bmargin at screen 1 - 136 * py
unset border; unset tics; unset grid
set xrange [0:1]; set yrange [0:1]
set key at graph 0, graph 1 left top Left reverse horizontal samplen 1 width 1.5 spacing 1.25 maxrows 4 textcolor rgb rk_ink
plot for [i = 1:words(methods)] NaN with points pt rk_mark(word(methods, i)) ps 1.5 lc rgb rk_color(word(methods, i)) title word(methods, i), \
     NaN with boxes fs pattern 4 border lc rgb rk_soft lc rgb rk_soft title (gaps + (printed > 0 ? holes : 0) > 0 ? "not run here" : "")
unset key
unset label 1; unset label 2
if (printed > 0) {
    set lmargin at screen right_from; set rmargin at screen right_to
    set key at graph 0, graph 1 left top Left reverse horizontal samplen 2 width 1.5 spacing 1.25 maxrows 4 textcolor rgb rk_ink
    plot for [m in "dense cacheblend prophetkv redknot"] NaN with boxes fs transparent solid 0.18 border lc rgb rk_color(m) lc rgb rk_color(m) title m
    unset key
}

set border 3 lc rgb rk_soft lw 1
set tics nomirror out scale 0.6 textcolor rgb rk_ink
set grid ytics lt 1 lw 0.6 lc rgb rk_grid
set label 3 at graph 0, graph 1.1 left font rk_font.",12" textcolor rgb rk_ink

do for [i = 0:3] {
    metric = word("ttft_ms em f1 top1_agreement", i + 1)
    paper = word("ttft_speedup em f1 top1_agreement", i + 1)
    name = i == 0 ? "TTFT of dense / TTFT of the method (above 1: faster)" : i == 1 ? "Exact match" : \
           i == 2 ? "Token F1" : "First-token agreement with dense: top-1 filled, top-10 hollow"

    # -- measured --
    set lmargin at screen left_from; set rmargin at screen left_to
    set tmargin at screen panel_top(i); set bmargin at screen panel_bottom(i)
    set xrange [0.5:groups + 0.5]
    most = 0
    stats measured skip 1 using (strcol(5) eq "ttft_ms" && bound(10) > most ? (most = bound(10), 1) : 1) nooutput
    set yrange [0:(i == 0 ? (most > 1.2 ? most * 1.08 : 1.3) : 1.05)]
    set ytics autofreq nomirror
    set xtics scale 0 nomirror font rk_font.",11"
    set xtics ()
    set label 3 sprintf("(%s) %s", word("a b c d", i + 1), name)
    # Dashed rules between groups, one over each reference.
    do for [g = 1:groups - 1] { set arrow 10 + g from g + 0.5, graph 0 to g + 0.5, graph 1 nohead lc rgb rk_grid lw 1 }
    if (i == 0) { set arrow 99 from graph 0, first 1 to graph 1, first 1 nohead ls 1 } else { unset arrow 99 }
    plot missing skip 1 using 3:(i == 0 ? (most > 1.2 ? most * 1.08 : 1.3) : 1.05):(2 * half) with boxes fs pattern 4 border lc rgb rk_soft lc rgb rk_soft notitle, \
         missing skip 1 using 3:(i == 0 ? most * 0.05 : 0.05):4 with labels left rotate by 90 boxed font rk_font.",8" textcolor rgb rk_ink notitle, \
         measured skip 1 using (i > 0 && is(metric, "dense") ? $1 - 0.45 : NaN):8:(0.9):(0) with vectors nohead ls 1 notitle, \
         for [m in methods] measured skip 1 using (at(metric, m)):8:(bound(9)):(bound(10)) with yerrorbars pt -1 lw 1.4 lc rgb rk_color(m) notitle, \
         for [m in methods] measured skip 1 using (i == 3 && is("top10_agreement", m) ? $4 + half * 0.8 : NaN):8:(bound(9)):(bound(10)) with yerrorbars pt -1 lw 1 lc rgb rk_color(m) notitle, \
         for [m in methods] measured skip 1 using (i == 3 && is("top10_agreement", m) ? $4 + half * 0.8 : NaN):8 with points pt rk_ring(m) ps 1.1 lc rgb rk_color(m) notitle, \
         for [m in methods] measured skip 1 using (at(metric, m)):8 with points pt rk_mark(m) ps 1.3 lc rgb rk_color(m) notitle, \
         rk_data."_groups.csv" skip 1 using 1:(0):xticlabels(strcol(2)."\n".strcol(3)) with points pt -1 notitle
    unset arrow 99
    do for [g = 1:groups - 1] { unset arrow 10 + g }
    if (printed == 0) { continue }

    # -- published --
    set lmargin at screen right_from; set rmargin at screen right_to
    set xrange [(i == 3 ? 0.7 : 0.5):(i == 3 ? 1.35 : 4.55)]
    set yrange [0:(i == 0 ? 4.2 : 1.19)]
    set ytics 0, (i == 0 ? 1 : 0.2), (i == 0 ? 4 : 1) nomirror
    set xtics scale 0 nomirror font rk_font.",9"
    set label 3 i == 0 ? "TTFT ratio" : i == 1 ? "EM" : i == 2 ? "F1" : "Agreement: top-1 left, top-10 right (pairs)"
    wide = i == 3 ? 0.07 : 0.17
    if (i == 0) { set arrow 99 from graph 0, first 1 to graph 1, first 1 nohead ls 1 }
    plot (i < 3 ? unrun : "/dev/null") skip 1 using 2:(i == 0 ? 4.2 : 1.19):(wide) with boxes fs pattern 4 border lc rgb rk_soft lc rgb rk_soft notitle, \
         for [m in "dense cacheblend prophetkv redknot"] published skip 1 using (strcol(6) eq paper && strcol(4) eq m ? $5 - (i == 3 ? 0.038 : 0) : NaN):7:(wide) \
             with boxes fs transparent solid 0.18 border lc rgb rk_color(m) lc rgb rk_color(m) notitle, \
         for [m in "dense cacheblend prophetkv redknot"] published skip 1 using (i == 3 && strcol(6) eq "top10_agreement" && strcol(4) eq m ? $5 + 0.038 : NaN):7:(wide) \
             with boxes fs transparent solid 0.18 border lc rgb rk_color(m) lc rgb rk_color(m) notitle, \
         published skip 1 using (strcol(6) eq paper && !(i == 0 && strcol(4) eq "dense") ? $5 - (i == 3 ? 0.038 : 0) : NaN):7:(sprintf(" %.3g", $7)) with labels left rotate by 90 font rk_font.",8" textcolor rgb rk_soft notitle, \
         published skip 1 using (i == 3 && strcol(6) eq "top10_agreement" ? $5 + 0.038 : NaN):7:(sprintf(" %.3g", $7)) with labels left rotate by 90 font rk_font.",8" textcolor rgb rk_soft notitle, \
         rk_data."_columns.csv" skip 1 using (i < 3 ? $1 : NaN):(0):xticlabels(strcol(2)."\n".strcol(3)." ".strcol(4)) with points pt -1 notitle
    unset arrow 99
}

# ---- caption ----
unset label 3
unset border; unset tics; unset grid; unset arrow
set lmargin at screen left_from; set rmargin at screen right_to
set tmargin at screen panel_bottom(3) - 56 * py; set bmargin at screen panel_bottom(3) - 56 * py - 160 * py
set xrange [0:1]; set yrange [0:1]
line = 0
plot rk_data."_caption.csv" skip 1 using (0):(line = line + 1, 1 - line * 0.11):2 with labels left font rk_font.",10" textcolor rgb rk_ink notitle
unset multiplot
