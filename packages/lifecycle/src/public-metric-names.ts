const ours =
  /^(# (?:HELP|TYPE) )?(?:(tracing)|server_(?:http_(?=route_)(route)|(config|admin|reverse_proxy)))_/;

/** The line under the public name; undefined for one of which the public models have nothing. */
function publicLine(line: string): string | undefined {
  if (!ours.test(line)) {
    return undefined;
  }
  return line.replace(ours, (_, comment = "", tracing?: string, route?: string, part?: string) =>
    tracing === undefined ? `${comment}caddy_${route === undefined ? part : "http"}_` : `${comment}jaeger_`,
  );
}

/** The public name of a metric, as {@link withPublicMetricNames} gives it; undefined where it has none. */
export function publicMetricName(name: string): string | undefined {
  return publicLine(name);
}

/**
 * Gives metrics a second time under the names that dashboards and alerts of the public models look for: `tracing_x` as
 * `jaeger_x`, `server_http_route_x` as `caddy_http_x`, and `server_config_x`, `server_admin_x`,
 * `server_reverse_proxy_x` with `caddy_` in front in place of `server_`.
 * @param text of `Registry.metrics`, Prometheus' text format
 */
export function withPublicMetricNames(text: string): string {
  const again = text.split("\n").flatMap((line) => publicLine(line) ?? []);
  return again.length === 0 ? text : `${text.trimEnd()}\n\n${again.join("\n")}\n`;
}
