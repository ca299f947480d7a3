import type { TimeZone } from "../format/format-time.ts";
import { storedChoice } from "./stored-choice.ts";

/** The theme: that of the system, or one of the two. A script of each app reads the same key before the first paint. */
export const themeChoice = storedChoice("ui.theme", ["system", "light", "dark"]);

/** The clock that times are shown in. */
export const zoneChoice = storedChoice<TimeZone>("ui.zone", ["local", "utc"]);

/** Makes the page follow the theme's choice, from now on. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = themeChoice.get();
  };
  apply();
  themeChoice.subscribe(apply);
}
