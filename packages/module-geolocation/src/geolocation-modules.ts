import { type ListedModule, listed } from "server-module-api";
import { maxmindGeolocationMatcher } from "./maxmind-geolocation.ts";
import { maxmindGeolocationMatcherText } from "./maxmind-geolocation-text.ts";

/** A package of this name replaces these modules when a config lists it under `modules`. */
const packageName = "module-geolocation";

/** The matcher for the server's own list of modules. */
export const geolocationModules: readonly ListedModule[] = [
  listed("http.matchers.maxmind_geolocation", () => maxmindGeolocationMatcher, {
    package: packageName,
    text: () => maxmindGeolocationMatcherText,
  }),
];
