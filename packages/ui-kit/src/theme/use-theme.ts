import { useSyncExternalStore } from "react";
import { themeChoice } from "./preferences.ts";

/** The theme that is seen, for what CSS cannot colour by itself: a canvas. `forced` is that of the system's own colours. */
export function useTheme(): "light" | "dark" | "forced light" | "forced dark" {
  return useSyncExternalStore(subscribe, current);
}

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const forced = window.matchMedia("(forced-colors: active)");

function current(): ReturnType<typeof useTheme> {
  const choice = themeChoice.get();
  const theme = choice !== "system" ? choice : systemDark.matches ? "dark" : "light";
  return forced.matches ? `forced ${theme}` : theme;
}

function subscribe(listener: () => void): () => void {
  const end = themeChoice.subscribe(listener);
  for (const query of [systemDark, forced]) query.addEventListener("change", listener);
  return () => {
    end();
    for (const query of [systemDark, forced]) query.removeEventListener("change", listener);
  };
}
