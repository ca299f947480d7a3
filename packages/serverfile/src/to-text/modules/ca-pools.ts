import { clientTlsFields } from "../../modules/tls/ca-pools.ts";
import { block, type Fields, fieldLines, part, parts, texts } from "../lines/field-lines.ts";
import { type Line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { storageLine } from "./storage.ts";

/** Member with the list of words on the pool's line, by pool; "" for pools without words. */
const lists: Readonly<Record<string, string>> = {
  combined: "",
  file: "pem_files",
  http: "endpoints",
  inline: "",
  pki_intermediate: "authority",
  pki_root: "authority",
  storage: "pem_keys",
  system: "",
};

/** Lines for the blocks of all pools. */
const poolFields: Fields = {
  trust_der: texts("trusted_ca_certs"),
  source: parts("sources", caPoolLine),
  storage: part("storage", storageLine),
  tls: block("tls", { ...clientTlsFields, ca: part("ca", caPoolLine) }),
};

/** Writes a pool of trusted CAs. @param before word before the pool's name */
export function caPoolLine(pool: Members, before: string): Line {
  const [provider, list] = pool.module("provider", lists, "pool");
  return lineWith([before, provider, ...(pool.texts(list) ?? [])], fieldLines(pool, poolFields));
}
