import { LRUCache } from "lru-cache";
import { ServerError } from "server-core/errors";
import type { DnsProvider, DnsRecordType } from "../dns-provider.ts";

/** A record, with its name in both forms that providers use. */
export interface DnsRecord {
  /** Full, without final dot: `_acme-challenge.a.example.com`. */
  readonly name: string;
  /** Name relative to the zone, such as `_acme-challenge.a`; "" for the zone's own name. */
  readonly label: string;
  /** `TXT` and `CNAME` prove names; `A` and `AAAA` are for dynamic DNS. */
  readonly type: DnsRecordType;
  /** Plain: without quotes or final dot. */
  readonly value: string;
  /** TTL in seconds, for which resolvers may cache the record. A provider whose minimum is higher uses its minimum. */
  readonly ttlSeconds: number;
}

/** The calls to the API of one provider. `Zone` is the type that identifies a zone in this API: a name or an ID. */
export interface ZoneApi<Zone> {
  /** Name of the provider in errors. */
  readonly name: string;
  /**
   * Finds a zone of the account. @param name full, without final dot @returns undefined when the account has no such
   * zone
   */
  zone(name: string): Promise<Zone | undefined>;
  /** Adds a value to the values of the name; the other values remain. */
  add(zone: Zone, record: DnsRecord): Promise<void>;
  /** Removes one value; a missing value is no error. */
  remove(zone: Zone, record: DnsRecord): Promise<void>;
  /** Ends the connections to the provider. */
  close?(): Promise<void>;
}

interface FoundZone<Zone> {
  readonly zone: Zone;
  readonly name: string;
}

const maxZones = 1_000;
const zoneLifeMs = 10 * 60_000;

/**
 * Names that could be the zone of `name`, the longest first; names that start with `_` are left out, because they are
 * no zones.
 */
export function zoneCandidates(name: string): string[] {
  const labels = name.split(".");
  return labels.map((_, index) => labels.slice(index).join(".")).filter((each) => !each.startsWith("_"));
}

/** The text of a TXT record in the form for zone files and many APIs: quoted strings of at most 255 bytes. */
export function quotedText(value: string): string {
  const parts = value.match(/.{1,255}/gs) ?? [""];
  return parts.map((part) => `"${part.replace(/["\\]/g, "\\$&")}"`).join(" ");
}

/** Reverses {@link quotedText}; a text without quotes stays unchanged. */
export function plainText(text: string): string {
  return /^".*"$/s.test(text)
    ? [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)]
        .map(([, part = ""]) => part.replace(/\\(.)/gs, "$1"))
        .join("")
    : text;
}

/** A record's value in the form for zone files: texts in quotes, names with their final dot, addresses unchanged. */
export function zoneFileValue({ type, value }: DnsRecord): string {
  if (type === "A" || type === "AAAA") {
    return value;
  }
  return type === "TXT" ? quotedText(value) : `${value.replace(/\.$/, "")}.`;
}

/** True when an API's value equals the record's value. */
export function isSameValue({ value }: DnsRecord, given: string): boolean {
  return plainText(given).replace(/\.$/, "") === value.replace(/\.$/, "");
}

/** Values of a name, all of one type. */
export interface RecordSet {
  readonly values: readonly string[];
  /** TTL in seconds; undefined when the API keeps the TTL of the existing values by itself. */
  readonly ttlSeconds: number | undefined;
}

/** The calls to an API that reads and writes all values of a name together. */
export interface RecordSetApi<Zone> {
  /** @returns undefined when the name has no record of the type */
  read(zone: Zone, record: DnsRecord): Promise<RecordSet | undefined>;
  /**
   * Replaces the values; without values, removes the name's records.
   * @param before the set that was read
   * @returns undefined when done; the failed call as text, when another program has changed the values since they were
   * read
   */
  write(
    zone: Zone,
    record: DnsRecord,
    next: RecordSet,
    before: RecordSet | undefined,
  ): Promise<string | undefined>;
  /** The value to write for a record; by default in the form for zone files. */
  readonly written?: (record: DnsRecord) => string;
}

/**
 * Maximum number of conflicts with changes by other programs; after each conflict the change starts again, and at the
 * limit it fails.
 */
const maxConflicts = 5;

/** Changes one value of a name by reading and writing all of them. */
export function recordSetChanges<Zone>({
  read,
  write,
  written = zoneFileValue,
}: RecordSetApi<Zone>): Pick<ZoneApi<Zone>, "add" | "remove"> {
  const change = async (zone: Zone, record: DnsRecord, isAddition: boolean) => {
    for (let conflicts = 0; ; conflicts++) {
      const found = await read(zone, record);
      const others = found?.values.filter((value) => !isSameValue(record, value)) ?? [];
      const isThere = others.length < (found?.values.length ?? 0);
      if (isThere === isAddition) {
        return;
      }
      const next = isAddition
        ? { values: [...others, written(record)], ttlSeconds: record.ttlSeconds }
        : { values: others, ttlSeconds: found?.ttlSeconds };
      const conflict = await write(zone, record, next, found);
      if (conflict === undefined) {
        return;
      }
      if (conflicts >= maxConflicts) {
        throw new ServerError("ACME", `${conflict}: others change these records all the time`);
      }
    }
  };
  return {
    add: (zone, record) => change(zone, record, true),
    remove: (zone, record) => change(zone, record, false),
  };
}

/**
 * Makes a provider from an API: finds the zone of each name, and makes only one change of a zone at a time. Many APIs
 * replace all values of a name together, so two concurrent changes would lose one value.
 */
export function zoneProvider<Zone extends NonNullable<unknown>>(api: ZoneApi<Zone>): DnsProvider {
  const zones = new LRUCache<string, FoundZone<Zone>>({ max: maxZones, ttl: zoneLifeMs });
  const turns = new Map<string, Promise<unknown>>();

  const zoneOf = async (name: string): Promise<FoundZone<Zone>> => {
    for (const candidate of zoneCandidates(name)) {
      const known = zones.get(candidate);
      if (known !== undefined) {
        return known;
      }
      const zone = await api.zone(candidate);
      if (zone !== undefined) {
        const found = { zone, name: candidate };
        zones.set(candidate, found);
        return found;
      }
    }
    throw new ServerError("ACME", `${api.name}: no zone of this account holds ${name}`);
  };

  const change = async (how: "add" | "remove", record: Omit<DnsRecord, "label">) => {
    const { name } = record;
    const found = await zoneOf(name);
    const label = name === found.name ? "" : name.slice(0, -found.name.length - 1);
    const work = () => api[how](found.zone, { ...record, label });
    const turn = (turns.get(found.name) ?? Promise.resolve()).then(work);
    const quiet = turn.catch(() => {});
    turns.set(found.name, quiet);
    try {
      await turn;
    } finally {
      if (turns.get(found.name) === quiet) {
        turns.delete(found.name);
      }
    }
  };

  return {
    present: (name, value, ttlSeconds, type = "TXT") => change("add", { name, type, value, ttlSeconds }),
    remove: (name, value, type = "TXT") => change("remove", { name, type, value, ttlSeconds: 0 }),
    async close() {
      await Promise.all(turns.values());
      await api.close?.();
    },
  };
}
