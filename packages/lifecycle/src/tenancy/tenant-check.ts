import type { TenancyOptions } from "./tenancy-options.ts";

/** Longest name of a tenant. */
const longestName = 150;

/**
 * Whether a text can name a tenant, at every door: up to 150 visible characters of ASCII, no comma. Blanks and controls look
 * alike in logs and proxies cut them; HTTP has no agreed form of other characters; commas separate several names.
 */
export function isTenantName(text: string): boolean {
  return text.length <= longestName && /^[!-+\--~]+$/.test(text);
}

/** What is wrong with the tenant header of a request: there is none, there are several, or it names nobody known. */
export type TenantProblem = "missing" | "extra" | "unknown";

/** The words of the public model for each problem, as a body of HTTP 401 or the details of a gRPC status. */
export const tenantProblemTexts: Readonly<Record<TenantProblem, string>> = {
  missing: "missing tenant header",
  extra: "extra tenant header",
  unknown: "unknown tenant",
};

/** Finds the tenant of a request. */
export class TenantCheck {
  readonly enabled: boolean;
  /** Lower case. */
  readonly header: string;
  readonly #known: ReadonlySet<string>;

  constructor(options: TenancyOptions) {
    this.enabled = options["multi-tenancy.enabled"];
    this.header = options["multi-tenancy.header"];
    this.#known = new Set(options["multi-tenancy.tenants"]);
  }

  /**
   * The tenant that a request names.
   * @param headerValues every value of the header, as sent. Several are refused at every door: a proxy that adds its line to
   *   that of a client must not leave the choice to the client. The public model takes the first where HTTP has several. One
   *   value with commas counts as several: so Node joins those that HTTP/2 brings.
   * @returns `tenant` "" when tenancy is off, whatever the header says; an empty value counts as missing, and what is no name
   *   of a tenant as unknown
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
