import type { TenancyOptions } from "./tenancy-options.ts";

/** Length limit of a tenant's name. */
const longestName = 150;

/**
 * True when a text is a valid name of a tenant: up to 150 visible ASCII characters without a comma. Spaces and control
 * characters are hard to see in logs, and proxies remove them. For other characters, HTTP has no common encoding.
 * Commas separate several names.
 */
export function isTenantName(text: string): boolean {
  return text.length <= longestName && /^[!-+\--~]+$/.test(text);
}

/** The fault of a request's tenant header: missing, repeated, or with an unknown tenant. */
export type TenantProblem = "missing" | "extra" | "unknown";

/** Jaeger's text for each problem, as the body of HTTP 401 or the details of a gRPC status. */
export const tenantProblemTexts: Readonly<Record<TenantProblem, string>> = {
  missing: "missing tenant header",
  extra: "extra tenant header",
  unknown: "unknown tenant",
};

/** Checks the tenant header of requests against the options. */
export class TenantCheck {
  readonly enabled: boolean;
  /** Name of the tenant header, in lower case. */
  readonly header: string;
  readonly #known: ReadonlySet<string>;

  constructor(options: TenancyOptions) {
    this.enabled = options["multi-tenancy.enabled"];
    this.header = options["multi-tenancy.header"];
    this.#known = new Set(options["multi-tenancy.tenants"]);
  }

  /**
   * Finds the tenant of a request.
   * @param headerValues all values of the header as sent. Several values are always refused: if a proxy adds its own
   * line, the client must not be able to decide which line counts. Over HTTP, Jaeger uses the first value. A
   * value with commas counts as several values, because Node joins repeated HTTP/2 headers with commas.
   * @returns `tenant`: the tenant's name; "" when tenancy is off, even if the header has a value. An empty value counts
   * as missing, and an invalid name as unknown
   */
  check(headerValues: readonly string[]): { tenant: string } | { problem: TenantProblem } {
    if (!this.enabled) {
      return { tenant: "" };
    }
    const [tenant = "", extra] = headerValues
      .flatMap((value) => value.split(","))
      .map((value) => value.trim());
    if (extra !== undefined) {
      return { problem: "extra" };
    }
    if (tenant === "") {
      return { problem: "missing" };
    }
    const isServed = this.#known.size > 0 ? this.#known.has(tenant) : isTenantName(tenant);
    return isServed ? { tenant } : { problem: "unknown" };
  }
}
