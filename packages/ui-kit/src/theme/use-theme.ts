import { useSyncExternalStore } from "react";
import { themeChoice } from "./preferences.ts";

/**
 * The visible theme, for a canvas, which CSS cannot colour. `forced` means that the system forces its own colours. A
 * print is light, as its style sheet says.
 */
export function useTheme(): "light" | "dark" | "forced light" | "forced dark" {
  return useSyncExternalStore(subscribe, current);
}

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const forced = window.matchMedia("(forced-colors: active)");
const print = window.matchMedia("print");
/** Cached results of the media queries, because evaluating them within a frame causes a layout. */
const system = { dark: systemDark.matches, forced: forced.matches, print: print.matches };

function current(): ReturnType<typeof useTheme> {
  const choice = themeChoice.get();
  const chosen = choice !== "system" ? choice : system.dark ? "dark" : "light";
  const theme = system.print ? "light" : chosen;
  return system.forced ? `forced ${theme}` : theme;
}

function subscribe(listener: () => void): () => void {
  const changed = () => {
    system.dark = systemDark.matches;
    system.forced = forced.matches;
    system.print = print.matches;
    listener();
  };
  changed();
  const end = themeChoice.subscribe(listener);
  for (const query of [systemDark, forced, print]) {
    query.addEventListener("change", changed);
  }
  return () => {
    end();
    for (const query of [systemDark, forced, print]) {
      query.removeEventListener("change", changed);
    }
  };
}
