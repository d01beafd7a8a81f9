# style.gp - one look for every figure: terminals, method colours and marks, fonts.
#
# A script sets rk_width and rk_height (pixels of the PNG; 100 are an inch of the
# PDF) and loads this file. The caller of gnuplot sets rk_format and rk_out.
# Colours: Okabe and Ito's colour-blind safe set (2008) and two greys; marks differ
# too, so that a figure reads in black and white.

rk_font = "DejaVu Sans"
if (rk_format eq "png") {
    set terminal pngcairo size rk_width, rk_height font rk_font.",11" noenhanced \
        background rgb "#ffffff" linewidth 1.2
}
if (rk_format eq "svg") {
    set terminal svg size rk_width, rk_height font rk_font.",14" noenhanced \
        background rgb "#ffffff" linewidth 1.2 name "figure"
}
if (rk_format eq "pdf") {
    set terminal pdfcairo size rk_width / 100.0, rk_height / 100.0 font rk_font.",10.5" \
        noenhanced background rgb "#ffffff" linewidth 1.2
}
set output rk_out
set encoding utf8
set datafile separator comma
set datafile missing ""

# method      colour    mark (filled, hollow)
rk_methods = "dense dense_masked prefix_cache full_reuse cacheblend cacheblend:layer3 epic epic:legolink0 prophetkv tokdrop_redknot redknot"
rk_colors  = "#000000 #7f7f7f #56b4e9 #b8a300 #e69f00 #b35900 #009e73 #66c2a5 #0072b2 #cc79a7 #d55e00"
rk_filled  = "7 5 9 11 13 15 5 13 9 11 7"
rk_hollow  = "6 4 8 10 12 14 4 12 8 10 6"

rk_row(name) = (sum [rk_i = 1:words(rk_methods)] (word(rk_methods, rk_i) eq name ? rk_i : 0))
# A method that the table does not know takes its base's colour, then a grey.
rk_base(name) = strstrt(name, ":") ? name[1:strstrt(name, ":") - 1] : name
rk_find(name) = rk_row(name) ? rk_row(name) : rk_row(rk_base(name))
rk_color(name) = rk_find(name) ? word(rk_colors, rk_find(name)) : "#555555"
rk_mark(name) = rk_find(name) ? int(word(rk_filled, rk_find(name))) : 3
rk_ring(name) = rk_find(name) ? int(word(rk_hollow, rk_find(name))) : 2

rk_ink = "#222222"
rk_soft = "#8a8a8a"
rk_grid = "#dddddd"
set border 3 lc rgb rk_soft lw 1
set tics nomirror out scale 0.6 textcolor rgb rk_ink
set grid ytics lt 1 lw 0.6 lc rgb rk_grid
set style line 1 lc rgb rk_soft lw 1 dt 2
