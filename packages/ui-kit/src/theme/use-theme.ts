import { useSyncExternalStore } from "react";
import { themeChoice } from "./preferences.ts";

/** The theme that is seen, for what CSS cannot colour by itself: a canvas. */
export function useTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribe, current);
}

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function current(): "light" | "dark" {
  const choice = themeChoice.get();
  if (choice !== "system") return choice;
  return systemDark.matches ? "dark" : "light";
}

function subscribe(listener: () => void): () => void {
  const end = themeChoice.subscribe(listener);
  systemDark.addEventListener("change", listener);
  return () => {
    end();
    systemDark.removeEventListener("change", listener);
  };
}
