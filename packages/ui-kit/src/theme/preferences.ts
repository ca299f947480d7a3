import type { TimeZone } from "../format/format-time.ts";
import { storedChoice } from "./stored-choice.ts";

/** The theme: the system's theme, light or dark. A script of each app reads the same key before the first paint. */
export const themeChoice = storedChoice("ui.theme", ["system", "light", "dark"]);

/** Time zone of shown times. */
export const zoneChoice = storedChoice<TimeZone>("ui.zone", ["local", "utc"]);

/** Applies the chosen theme to the page, now and after each change. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = themeChoice.get();
  };
  apply();
  themeChoice.subscribe(apply);
}
