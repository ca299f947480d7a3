import { accountRows, dnsProviderLines } from "../../modules/tls/dns-providers.ts";
import { inexpressible } from "../inexpressible.ts";
import { fieldLines } from "../lines/field-lines.ts";
import { type Line, lineWith, line as wordsLine } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** `dns <name> { … }`, of a provider with its `name`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function dnsProviderLine(provider: Members, before: string): Line {
  const name = provider.text("name") ?? "";
  const known = Object.hasOwn(dnsProviderLines, name) ? dnsProviderLines[name] : undefined;
  if (known === undefined) {
    throw inexpressible(provider.path, `there is no DNS provider ${name} in serverfiles`);
  }
  const lines = fieldLines(provider, known);
  if (name === "route53" && provider.look("skip_route53_sync_on_delete") === undefined) {
    lines.push(wordsLine("skip_route53_sync_on_delete", "false")); // the text's default is true, the document's false
  }
  const accounts = name === "acmedns" ? provider.child("config") : undefined;
  if (accounts !== undefined) {
    const blocks = accounts.keys.map((domain) => {
      const account = accounts.child(domain);
      return account === undefined ? wordsLine(domain) : lineWith([domain], fieldLines(account, accountRows));
    });
    lines.push(lineWith(["config"], blocks));
  }
  return lineWith([before, name], lines);
}
