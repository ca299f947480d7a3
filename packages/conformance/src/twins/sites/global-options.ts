import type { RandomSource } from "../../serverfile/random-source.ts";

/** Lines that may be added to the global options of a site. */
const optional: readonly string[] = [
  "auto_https disable_redirects",
  "order redir first",
  "order header before route",
  "grace_period 2s",
];

/** Counters are drawn separately, because on most sites their differences only follow from other differences. */
const metrics: readonly string[] = ["metrics", "metrics {\n\t\tper_host\n\t}"];

const serverLines: readonly string[] = [
  "trusted_proxies static private_ranges",
  "trusted_proxies static 127.0.0.0/8\n\t\ttrusted_proxies_strict",
  "client_ip_headers X-Real-Ip X-Forwarded-For",
  "log_credentials",
  "enable_full_duplex",
  "strict_sni_host",
  "max_header_size 16KB",
  "timeouts {\n\t\t\tread_body 2s\n\t\t\tidle 5s\n\t\t}",
];

/** The options of every twin site, and additional ones. */
export function globalOptions(more: readonly string[] = [], server: readonly string[] = []): string {
  const lines = [
    "skip_install_trust",
    "local_certs",
    "persist_config off",
    "default_bind %ADDRESS%",
    "http_port %HTTP%",
    "https_port %TLS%",
    "log {\n\t\toutput file %LOG%\n\t\tformat json\n\t}",
    `servers {\n\t\tprotocols h1 h2 h2c\n${server.map((line) => `\t\t${line}\n`).join("")}\t}`,
    ...more,
  ];
  return `{\n${lines.map((line) => `\t${line}\n`).join("")}}\n`;
}

export function drawGlobalOptions(random: RandomSource): string {
  const more = random.below(3) === 0 ? [random.pick(optional)] : [];
  if (random.below(3) === 0) {
    more.push(random.pick(metrics));
  }
  const server = random.below(4) === 0 ? [random.pick(serverLines)] : [];
  return globalOptions(more, server);
}
