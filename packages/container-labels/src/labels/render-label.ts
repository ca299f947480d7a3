import { basicFunctions } from "server-modules/handlers/templates/basic-functions";
import { TemplateRun } from "server-modules/handlers/templates/evaluate-template";
import { sprigFunctions } from "server-modules/handlers/templates/sprig-functions";
import { parseTemplate } from "server-modules/handlers/templates/template-parser";

/** Names of protocols, which `upstreams` takes as words: `upstreams https 8443`. */
const protocols = { http: () => "http", https: () => "https", h2c: () => "h2c" };

/** Text of `upstreams`. @param options words are protocols, numbers are ports */
function upstreamsText(addresses: readonly string[], options: readonly unknown[]): string {
  return addresses
    .map((address) =>
      options.reduce<string>(
        (text, option) => (typeof option === "number" ? `${text}:${option}` : `${String(option)}://${text}`),
        address,
      ),
    )
    .sort()
    .join(" ");
}

/**
 * Renders the Go templates in a label's value. Source: the plug-in caddy-docker-proxy
 * @param data the engine's description of the container
 * @param addresses returns the container's addresses; called only when the text uses `upstreams`
 * @throws TemplateError
 */
export async function renderLabel(
  value: string,
  data: object,
  addresses: () => readonly string[],
): Promise<string> {
  if (!value.includes("{{")) {
    return value;
  }
  const functions = {
    ...sprigFunctions,
    ...basicFunctions,
    env: (name: unknown) => process.env[String(name)] ?? "",
    ...protocols,
    upstreams: (...options: unknown[]) => upstreamsText(addresses(), options),
  };
  return await new TemplateRun(functions).run(parseTemplate(value), data);
}
