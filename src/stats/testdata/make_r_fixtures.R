# Writes r_fixtures.json: what R computes of samples that are written out, for r_test.cc.
# R 4.2.2 (Debian 12's r-base-core), nothing but its package stats:
#   Rscript make_r_fixtures.R > r_fixtures.json
numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
number <- function(x) sprintf("%.17g", x)
object <- function(...) {
  fields <- list(...)
  paste0("{", paste0('"', names(fields), '": ', unlist(fields), collapse = ", "), "}")
}
array <- function(objects) paste0("[\n    ", paste(objects, collapse = ",\n    "), "\n  ]")

samples <- list(
  list(a = c(1.1, 2.2, 3.3, 4.4, 5.5), b = c(6.1, 7.2, 8.3, 9.4, 10.5)),
  list(a = c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46), b = c(1.15, 0.88, 0.90, 0.74, 1.21)),
  list(a = c(12.5, 3.25, 7.75, 9.125, 4.5, 8.25, 6.0625), b = c(11.5, 5.25, 2.75, 10.125, 13.5, 1.25)),
  list(a = c(465.7, 470.2, 468.8, 466.1, 471.9, 469.3), b = c(334.5, 470.9, 340.1, 468.0, 338.7))
)
tied <- list(
  list(a = c(1, 2, 2, 3, 4, 4, 4, 5, 6), b = c(2, 3, 3, 5, 7, 7, 8, 9, 9, 10)),
  list(a = c(0.5, 0.5, 0.25, 0.75, 1), b = c(0.5, 1, 1, 1.5, 2))
)

wilcox <- function(s, exact) {
  result <- suppressWarnings(wilcox.test(s$a, s$b, exact = exact, correct = TRUE))
  object(a = numbers(s$a), b = numbers(s$b), method = if (exact) '"exact"' else '"asymptotic"',
         u = number(result$statistic), p = number(result$p.value))
}
adjusted <- function(p) {
  object(p = numbers(p), bonferroni = numbers(p.adjust(p, "bonferroni")), holm = numbers(p.adjust(p, "holm")),
         hochberg = numbers(p.adjust(p, "hochberg")))
}
spread <- function(x) {
  object(sample = numbers(x), median = number(median(x)),
         quantile_10 = number(quantile(x, 0.1, type = 7)), quantile_90 = number(quantile(x, 0.9, type = 7)))
}

everything <- lapply(c(samples, tied), function(s) c(s$a, s$b))
cat("{\n",
    '  "wilcoxon": ', array(c(sapply(samples, wilcox, exact = TRUE), sapply(c(samples, tied), wilcox, exact = FALSE))), ",\n",
    '  "corrections": ', array(c(adjusted(c(0.01, 0.02, 0.03, 0.04, 0.05)), adjusted(c(0.9, 0.001, 0.04, 0.04, 0.2, 0.011)))), ",\n",
    '  "spreads": ', array(sapply(everything, spread)), "\n}\n", sep = "")
