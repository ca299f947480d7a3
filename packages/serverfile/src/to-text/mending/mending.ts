import type { JsonValue } from "server-core/json/json-value";
import type { ConfigDraft } from "../config-draft.ts";
import type { SearchTime } from "../search-time.ts";
import type { UsualPorts } from "../sites/addresses.ts";
import type { CertificateCheck } from "./certificate-check.ts";

/** State of the search for a text. */
export interface Mending {
  readonly config: JsonValue;
  readonly ports: UsualPorts;
  /** The outcome of a text. Throws for one that is not understood. */
  readonly adapt: (text: string) => JsonValue;
  readonly certificates: CertificateCheck;
  /** How many texts may be tried. */
  readonly maxTries: number;
  readonly time: SearchTime;
}

/** A draft that does not come to the config. */
export interface TriedDraft {
  readonly draft: ConfigDraft;
  /** The document; undefined when the text is not understood, or its certificates differ. */
  readonly result: JsonValue | undefined;
}
