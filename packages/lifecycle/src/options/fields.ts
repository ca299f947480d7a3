import { z } from "zod";
import { parseGoDuration } from "./go-duration.ts";

/** An address to listen on or to call. */
export interface HostPort {
  /** Host without brackets; "" means every address of the machine. */
  readonly host: string;
  /** Port number; 0: the system chooses a port. */
  readonly port: number;
  /** The text in the configuration. */
  readonly text: string;
}

/** Parses `host:port`, `:port`, `[::1]:port` or a bare port number. @returns undefined for any other text */
export function parseHostPort(text: string): HostPort | undefined {
  const match = /^(?:(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]/\s]*)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  return match === null || port > 65_535 ? undefined : { host: match[1] ?? match[2] ?? "", port, text };
}

/** Option field: an address for listening or calling. @param defaultValue default as text, such as ":4317" */
export function hostPort(defaultValue: string) {
  return z
    .string()
    .transform((text, context): HostPort => {
      const value = parseHostPort(text);
      if (value === undefined) {
        context.addIssue(`"${text}" is not host:port, :port or a port number`);
        return z.NEVER;
      }
      return value;
    })
    .prefault(defaultValue)
    .meta({ placeholder: "host:port" });
}

/** Option field: a duration in Go's form ("1.5s", "300ms", "2h45m"). The parsed value is in milliseconds. */
export function duration(defaultValue: string) {
  return z
    .string()
    .transform((text, context): number => {
      const value = parseGoDuration(text);
      if (value === undefined) {
        context.addIssue(`"${text}" is not a duration such as 300ms, 1.5s or 2h45m`);
        return z.NEVER;
      }
      return value;
    })
    .prefault(defaultValue)
    .meta({ placeholder: "duration" });
}

const byteUnits: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Option field: a size ("64MiB", "1GB", or a plain number of bytes). The parsed value is in bytes. */
export function bytes(defaultValue: string) {
  return z
    .string()
    .transform((text, context): number => {
      const match = /^(\d+(?:\.\d+)?)\s*(B|[KMGT]i?B)?$/.exec(text);
      if (match === null) {
        context.addIssue(`"${text}" is not a size such as 65536, 64MiB or 1GB`);
        return z.NEVER;
      }
      return Math.floor(Number(match[1]) * (byteUnits[match[2] ?? ""] ?? 1));
    })
    .prefault(defaultValue)
    .meta({ placeholder: "size" });
}

/** Option field: a list in the form `a,b,c`; empty parts are dropped. */
export function commaList(defaultValue = "") {
  return z
    .string()
    .transform((text): readonly string[] =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .prefault(defaultValue)
    .meta({ placeholder: "a,b,…" });
}
