import { maxmindGeolocationMatcher } from "./maxmind-geolocation.ts";
import { maxmindGeolocationMatcherText } from "./maxmind-geolocation-text.ts";

/** The modules with their texts, for a config that names this package under `modules`. */
export default [{ ...maxmindGeolocationMatcher, ...maxmindGeolocationMatcherText }];
