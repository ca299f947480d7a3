const ours =
  /^(# (?:HELP|TYPE) )?(?:(tracing)|server_(?:http_(?=route_)(route)|(config|admin|reverse_proxy)))_/;

/** The line with the public name; undefined for a metric that Caddy and Jaeger do not have. */
function publicLine(line: string): string | undefined {
  const found = ours.exec(line);
  if (found === null) {
    return undefined;
  }
  const [ownStart, comment = "", tracing, route, part] = found;
  const start = tracing === undefined ? `caddy_${route === undefined ? part : "http"}_` : "jaeger_";
  return `${comment}${start}${line.slice(ownStart.length)}`;
}

/** The public name of a metric for {@link withPublicMetricNames}; undefined for a metric without a public name. */
export function publicMetricName(name: string): string | undefined {
  return publicLine(name);
}

/**
 * Repeats metrics under the names in dashboards and alerts for Caddy and Jaeger. `tracing_x` becomes `jaeger_x`, and
 * `server_http_route_x` becomes `caddy_http_x`. In `server_config_x`, `server_admin_x` and `server_reverse_proxy_x`,
 * `caddy_` replaces `server_`.
 * @param text of `Registry.metrics`, Prometheus' text format
 */
export function withPublicMetricNames(text: string): string {
  const again = text.split("\n").flatMap((line) => publicLine(line) ?? []);
  return again.length === 0 ? text : `${text.trimEnd()}\n\n${again.join("\n")}\n`;
}
