import { isIP } from "node:net";
import { defineModule, type HttpMatcher, replaceAll, ServerError, z } from "server-module-api";
import { type Location, LocationDatabase, locationDatabases } from "./location-database.ts";

/** Text that represents a value that the database does not know. */
const unknown = "UNK";

/** A list of values to compare with the client's location. */
const list = (about: string) => z.array(z.string()).nullish().describe(`${about}; \`UNK\` for unknown ones.`);

const configSchema = z.strictObject({
  db_path: z
    .string()
    .min(1)
    .describe("File of a database in MaxMind's format (`.mmdb`); one that is replaced is read again."),
  allow_countries: list("Countries that match, as `DE`"),
  deny_countries: list("Countries that do not match; they count alone where both lists are given"),
  allow_subdivisions: list("Subdivisions of which one must be the client's, as `BY`"),
  deny_subdivisions: list("Subdivisions of which none may be the client's"),
  allow_metro_codes: list("Metro codes that match"),
  deny_metro_codes: list("Metro codes that do not match"),
  allow_asn: list("Numbers of autonomous systems that match"),
  deny_asn: list("Numbers of autonomous systems that do not match"),
});

type Config = z.infer<typeof configSchema>;

/** A configured list; an absent or empty list has no effect. */
type Names = readonly string[] | null | undefined;

/**
 * | Lists | Matches |
 * |---|---|
 * | no lists | always |
 * | `allow` | when the value is listed |
 * | `deny`, with or without `allow` | when the value is not listed |
 */
function isAllowed(value: string | number | undefined, allowed: Names, denied: Names): boolean {
  const name = value ? String(value) : unknown;
  if (denied?.length) {
    return !denied.includes(name);
  }
  return allowed?.length ? allowed.includes(name) : true;
}

/**
 * A client can be in several subdivisions. One match in `allow` accepts the client; one match in `deny` refuses the
 * client.
 */
function areAllowed(
  subdivisions: NonNullable<Location["subdivisions"]>,
  allowed: Names,
  denied: Names,
): boolean {
  if (subdivisions.length === 0) {
    return isAllowed(undefined, allowed, denied);
  }
  const isOne = ({ iso_code: code }: { readonly iso_code?: string }) => isAllowed(code, allowed, denied);
  return denied?.length ? subdivisions.every(isOne) : subdivisions.some(isOne);
}

/** True when all four kinds of lists allow the location. */
function isMatch(found: Location, config: Config): boolean {
  const { country, subdivisions = [], location, autonomous_system_number: number } = found;
  return (
    isAllowed(country?.iso_code, config.allow_countries, config.deny_countries) &&
    areAllowed(subdivisions, config.allow_subdivisions, config.deny_subdivisions) &&
    isAllowed(location?.metro_code, config.allow_metro_codes, config.deny_metro_codes) &&
    isAllowed(number, config.allow_asn, config.deny_asn)
  );
}

/** Matches by the client's location. Source: the Caddy module of the same name (porech/caddy-maxmind-geolocation) */
export const maxmindGeolocationMatcher = defineModule({
  id: "http.matchers.maxmind_geolocation",
  config: configSchema.describe(
    "Where the client is, by a database; behind trusted proxies the client that they name.",
  ),
  async provision(config, context): Promise<HttpMatcher> {
    const path = replaceAll(config.db_path);
    if (path === "") {
      throw new ServerError("MODULE_CONFIG", "db_path is required");
    }
    const { value: database } = await context.acquire(locationDatabases, path, () =>
      LocationDatabase.open(path, context.log),
    );
    return {
      matches(exchange) {
        const address = exchange.clientAddress.replace(/%.*$/, "");
        return isIP(address) !== 0 && isMatch(database.find(address) ?? {}, config);
      },
    };
  },
});
