import { acmeFields, internalFields, zerosslFields } from "../../modules/tls/issuers.ts";
import { type Fields, field, fieldLines, part, texts } from "../lines/field-lines.ts";
import { given, type Line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { dnsProviderLine } from "./dns-providers.ts";

const chainFields = {
  root_common_name: texts("root_common_name"),
  any_common_name: texts("any_common_name"),
};

/** `preferred_chains smallest`, or `preferred_chains { … }` with the names of preferred chains. */
export function preferredChainsLine(chains: Members, name: string): Line {
  const words = chains.boolean("smallest") === true ? ["smallest"] : [];
  return lineWith([name, ...words], fieldLines(chains, chainFields));
}

/** Text form of an issuer: the words after its name, and the lines of its block. */
interface IssuerText {
  readonly words: (issuer: Members) => readonly string[];
  readonly fields: Fields;
}

const issuerTexts: Readonly<Record<string, IssuerText>> = {
  acme: {
    words: (issuer) => given(issuer.text("ca")),
    fields: {
      ...acmeFields,
      dns: part("challenges.dns.provider", dnsProviderLine),
      eab: field("external_account", (issuer, key) => {
        const account = issuer.child(key);
        return [account?.text("key_id") ?? "", account?.text("mac_key") ?? ""];
      }),
      preferred_chains: part("preferred_chains", preferredChainsLine),
    },
  },
  internal: { words: () => [], fields: internalFields },
  zerossl: {
    words: (issuer) => [issuer.text("api_key") ?? ""],
    fields: { ...zerosslFields, dns: part("cname_validation.provider", dnsProviderLine) },
  },
};

/**
 * Writes a certificate issuer. @param before word before the issuer's name. @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function issuerLine(issuer: Members, before: string): Line {
  const [name, known] = issuer.module("module", issuerTexts, "issuer");
  // `bind` or the option `default_bind` sets this member, so it needs no line.
  issuer.child("challenges")?.take("bind_host");
  const line = lineWith([before, name, ...known.words(issuer)], fieldLines(issuer, known.fields));
  issuer.done("an issuer");
  return line;
}
