import { acmeFields, internalFields, zerosslFields } from "../../modules/tls/issuers.ts";
import { inexpressible } from "../inexpressible.ts";
import { fieldLines, texts } from "../lines/field-lines.ts";
import { type Line, line, lineWith, type Word } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { dnsProviderLine } from "./dns-providers.ts";

/** `smallest`, or the names of preferred chains. @param before words that precede it on the line */
export function preferredChainsLine(chains: Members): Line {
  const words: Word[] = ["preferred_chains"];
  if (chains.boolean("smallest") === true) {
    words.push("smallest");
  }
  const lines = fieldLines(chains, {
    root_common_name: texts("root_common_name"),
    any_common_name: texts("any_common_name"),
  });
  return lineWith(words, lines);
}

/** The line of the DNS provider; none without a provider. @param challenge the object with the provider */
function dnsLines(challenge: Members | undefined): Line[] {
  const provider = challenge?.look("provider") === undefined ? undefined : challenge.child("provider");
  return provider === undefined ? [] : [dnsProviderLine(provider, "dns")];
}

/** Lines in the block of an ACME issuer. */
function acmeLines(issuer: Members): Line[] {
  const lines = fieldLines(issuer, acmeFields);
  const challenges = issuer.look("challenges") === undefined ? undefined : issuer.child("challenges");
  lines.push(...dnsLines(challenges?.look("dns") === undefined ? undefined : challenges.child("dns")));
  const account = issuer.child("external_account");
  if (account !== undefined) {
    lines.push(line("eab", account.text("key_id") ?? "", account.text("mac_key") ?? ""));
  }
  const chains = issuer.child("preferred_chains");
  if (chains !== undefined) {
    lines.push(preferredChainsLine(chains));
  }
  return lines;
}

/** An issuer of certificates. @param before the word before its name. @throws ServerError CONFIG_INEXPRESSIBLE */
export function issuerLine(issuer: Members, before: string): Line {
  const name = issuer.text("module") ?? "";
  switch (name) {
    case "acme": {
      const directory = issuer.text("ca");
      // Set by whom the issuer is for: `bind`, or the option `default_bind`.
      const challenges = issuer.look("challenges") === undefined ? undefined : issuer.child("challenges");
      challenges?.take("bind_host");
      return lineWith([before, name, ...(directory === undefined ? [] : [directory])], acmeLines(issuer));
    }
    case "internal":
      return lineWith([before, name], fieldLines(issuer, internalFields));
    case "zerossl": {
      const lines = fieldLines(issuer, zerosslFields);
      const cname =
        issuer.look("cname_validation") === undefined ? undefined : issuer.child("cname_validation");
      return lineWith([before, name, issuer.text("api_key") ?? ""], [...lines, ...dnsLines(cname)]);
    }
    default:
      throw inexpressible(issuer.path, `there is no issuer ${name} in serverfiles`);
  }
}
