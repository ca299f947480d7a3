import { type ListedModule, listed } from "server-module-api";
import { maxmindGeolocationMatcher } from "./maxmind-geolocation.ts";
import { maxmindGeolocationMatcherText } from "./maxmind-geolocation-text.ts";

/** A package with this name takes the place of these modules, when a config names it. */
const packageName = "module-geolocation";

/** The matcher for the server's own list of modules. */
export const geolocationModules: readonly ListedModule[] = [
  listed("http.matchers.maxmind_geolocation", () => maxmindGeolocationMatcher, {
    package: packageName,
    text: () => maxmindGeolocationMatcherText,
  }),
];
