import { fieldLines, part, parts, text, textEach } from "../lines/field-lines.ts";
import { type Line, line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { caPoolLine } from "./ca-pools.ts";

/** Member with the loader's list, by loader. */
const loaderLists: Readonly<Record<string, string>> = {
  file: "files",
  folder: "folders",
  pem: "certificates",
};

/** Writes `file a.pem b.pem`: the source of client certificates. */
function loaderLine(loader: Members): Line {
  const kind = loader.text("loader") ?? "";
  return line(kind, ...(loader.texts(loaderLists[kind] ?? "") ?? []));
}

/** `verifier leaf { file … }`. */
function verifierLine(verifier: Members, name: string): Line {
  const loaders = fieldLines(verifier, { loaders: parts("leaf_certs_loaders", loaderLine) });
  return lineWith([name, verifier.text("verifier") ?? ""], loaders);
}

const authFields = {
  mode: text("mode"),
  trust_pool: part("ca", caPoolLine),
  verifier: parts("verifiers", verifierLine),
  trusted_leaf_cert: textEach("trusted_leaf_certs"),
};

/** `client_auth { … }`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function clientAuthLine(auth: Members): Line {
  return { words: ["client_auth"], block: fieldLines(auth, authFields) };
}
