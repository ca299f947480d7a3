// Before the first paint, so that a chosen theme does not flash in the other one. preferences.ts writes the key.
try {
  document.documentElement.dataset.theme = localStorage.getItem("ui.theme") ?? "system";
} catch {}
