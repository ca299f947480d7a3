// Before the first paint, so that no page flashes in the other theme. The apps keep their choice under the same key.
try {
  document.documentElement.dataset.theme = localStorage.getItem("ui.theme") ?? "system";
} catch {
  // Storage refused: the system's theme.
}
