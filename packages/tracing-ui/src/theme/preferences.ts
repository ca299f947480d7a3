import type { TimeZone } from "../format/format-time.ts";
import { storedChoice } from "./stored-choice.ts";

/** The theme: that of the system, or one of the two. index.html reads the same key before the first paint. */
export const themeChoice = storedChoice("tracing.theme", ["system", "light", "dark"]);

/** The clock that times are shown in. */
export const zoneChoice = storedChoice<TimeZone>("tracing.zone", ["local", "utc"]);

/** Makes the page follow the theme's choice, from now on. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = themeChoice.get();
  };
  apply();
  themeChoice.subscribe(apply);
}
