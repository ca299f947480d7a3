// Runs before the first paint, so that no page flashes in the other theme. The apps store their theme under the same
// key.
try {
  document.documentElement.dataset.theme = localStorage.getItem("ui.theme") ?? "system";
} catch {
  // Without storage, the system's theme applies.
}
