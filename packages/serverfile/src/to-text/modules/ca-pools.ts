import { clientTlsFields } from "../../modules/tls/ca-pools.ts";
import { inexpressible } from "../inexpressible.ts";
import { fieldLines, texts } from "../lines/field-lines.ts";
import { type Line, line, lineWith, type Word } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { storageWords } from "./storage.ts";

/** The member that is the pool's list of words. */
const lists: Readonly<Record<string, string>> = {
  file: "pem_files",
  http: "endpoints",
  pki_intermediate: "authority",
  pki_root: "authority",
  storage: "pem_keys",
};

/** Lines of the block `tls`: how the pool's own requests are encrypted. */
function clientTlsLines(tls: Members): Line[] {
  const lines = fieldLines(tls, clientTlsFields);
  const pool = tls.child("ca");
  return pool === undefined ? lines : [...lines, caPoolLine(pool, "ca")];
}

/** A pool of trusted authorities. @param before the word before its name */
export function caPoolLine(pool: Members, before: string): Line {
  const provider = pool.text("provider") ?? "";
  const words: Word[] = [before, provider];
  const lines: Line[] = [];
  const list = Object.hasOwn(lists, provider) ? lists[provider] : undefined;
  if (list !== undefined) {
    words.push(...(pool.texts(list) ?? []));
  } else if (provider === "inline") {
    lines.push(...fieldLines(pool, { trust_der: texts("trusted_ca_certs") }));
  } else if (provider === "combined") {
    for (const source of pool.children("sources") ?? []) {
      lines.push(caPoolLine(source, "source"));
      source.done("a pool of authorities");
    }
  } else if (provider !== "system") {
    throw inexpressible(pool.path, `there is no pool ${provider} in serverfiles`);
  }
  const storage = pool.child("storage");
  if (storage !== undefined) {
    lines.push(line("storage", ...storageWords(storage)));
  }
  const tls = pool.child("tls");
  if (tls !== undefined) {
    lines.push({ words: ["tls"], block: clientTlsLines(tls) });
  }
  return lineWith(words, lines);
}
