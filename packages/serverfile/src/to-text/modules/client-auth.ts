import { fieldLines, text } from "../lines/field-lines.ts";
import { type Line, line } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { caPoolLine } from "./ca-pools.ts";

/** The member of a loader that lists what it loads. */
const loaderLists: Readonly<Record<string, string>> = {
  file: "files",
  folder: "folders",
  pem: "certificates",
};

/** `verifier leaf { file … }`. */
function verifierLine(verifier: Members): Line {
  const name = verifier.text("verifier") ?? "";
  const loaders = (verifier.children("leaf_certs_loaders") ?? []).map((loader) => {
    const kind = loader.text("loader") ?? "";
    const words = loader.texts(loaderLists[kind] ?? "") ?? [];
    loader.done("a loader of certificates");
    return line(kind, ...words);
  });
  verifier.done("a verifier");
  return loaders.length === 0 ? line("verifier", name) : { words: ["verifier", name], block: loaders };
}

/** `client_auth { … }`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function clientAuthLine(auth: Members): Line {
  const lines = fieldLines(auth, { mode: text("mode") });
  const pool = auth.child("ca");
  if (pool !== undefined) {
    lines.push(caPoolLine(pool, "trust_pool"));
  }
  lines.push(...(auth.children("verifiers") ?? []).map(verifierLine));
  lines.push(...(auth.texts("trusted_leaf_certs") ?? []).map((each) => line("trusted_leaf_cert", each)));
  return { words: ["client_auth"], block: lines };
}
