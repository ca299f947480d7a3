import { accountRows, dnsProviderLines } from "../../modules/tls/dns-providers.ts";
import { fieldLines, part } from "../lines/field-lines.ts";
import { type Line, line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** `config { domain { … } … }` of acmedns. */
function accountsLine(accounts: Members, name: string): Line {
  const entries = accounts.childEntries();
  return lineWith(
    [name],
    entries.map(([domain, account]) => lineWith([domain], fieldLines(account, accountRows))),
  );
}

/** `dns <name> { … }`, of a provider with its `name`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function dnsProviderLine(provider: Members, before: string): Line {
  const [name, known] = provider.module("name", dnsProviderLines, "DNS provider");
  const lines = fieldLines(provider, { ...known, config: part("config", accountsLine) });
  if (name === "route53" && provider.look("skip_route53_sync_on_delete") === undefined) {
    lines.push(line("skip_route53_sync_on_delete", "false")); // the text's default is true, the document's false
  }
  return lineWith([before, name], lines);
}
