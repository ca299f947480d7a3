import { bytes } from "lifecycle";
import { isTenantName } from "lifecycle/tenant-check";
import { z } from "zod";

const maxTenants = 10_000;

const rate = z.number().positive().max(1e9);
/** A size; a number without a unit is in bytes. */
const size = z.preprocess(
  (value) => (typeof value === "number" ? String(value) : value),
  bytes("").refine((value) => value >= 1, "must be 1 byte or more"),
);

const limits = z.strictObject({
  "spans-per-second": z.union([rate, z.literal("none")]).optional(),
  "burst-spans": z.int().min(1).max(1e9).optional(),
  "bytes-per-day": z.union([z.literal("none"), size]).optional(),
  // A series takes about 40 bytes of memory until the day ends.
  "series-per-day": z.union([z.literal("none"), z.int().min(1).max(1_000_000)]).optional(),
});

export const quotasDocument = z.strictObject({
  defaults: limits.prefault({}),
  tenants: z
    .record(
      z.string().refine(isTenantName, "is no name of a tenant: up to 150 visible ASCII characters, no comma"),
      limits,
    )
    .refine((tenants) => Object.keys(tenants).length <= maxTenants, `has over ${maxTenants} tenants`)
    .prefault({}),
});

type FileLimits = z.output<typeof limits>;

/** The limits of one tenant in one collector. Undefined: no limit. */
export interface QuotaLimits {
  /** Long-term average of accepted spans per second. */
  readonly spansPerSecond: number | undefined;
  /** Maximum number of spans that are accepted at once after a quiet period. */
  readonly burstSpans: number;
  /** Maximum number of bytes of decompressed messages in a day of UTC. */
  readonly bytesPerDay: number | undefined;
  /** Maximum number of different sets of service, span name and kind in a day of UTC. */
  readonly seriesPerDay: number | undefined;
}

export interface QuotaFile {
  /** Quotas of tenants that the file does not list. */
  readonly defaults: QuotaLimits;
  readonly tenants: ReadonlyMap<string, QuotaLimits>;
}

/** Limits that a tenant does not set come from `defaults`. */
export function quotaFileOf({ defaults, tenants }: z.output<typeof quotasDocument>): QuotaFile {
  return {
    defaults: limitsOf(defaults),
    tenants: new Map(
      Object.entries(tenants).map(([tenant, own]) => {
        // A burst belongs to its rate, so the default burst applies only with the default rate.
        const inherited = own["spans-per-second"] === undefined ? defaults : omitBurst(defaults);
        return [tenant, limitsOf({ ...inherited, ...own })];
      }),
    ),
  };
}

function omitBurst({ "burst-spans": _, ...others }: FileLimits): FileLimits {
  return others;
}

function limitsOf(limits: FileLimits): QuotaLimits {
  const spansPerSecond = numberOf(limits["spans-per-second"]);
  return {
    spansPerSecond,
    burstSpans: limits["burst-spans"] ?? Math.max(1, Math.ceil(spansPerSecond ?? 1)),
    bytesPerDay: numberOf(limits["bytes-per-day"]),
    seriesPerDay: numberOf(limits["series-per-day"]),
  };
}

function numberOf(limit: number | "none" | undefined): number | undefined {
  return limit === "none" ? undefined : limit;
}
