import type { OptionDefinition } from "../cli/command.ts";

/** The values of `--adapter`. JSON needs no adapter. */
const formats = ["serverfile", "caddyfile", "json", "json5", "yaml", "toml"] as const;

/** `--config` for commands that read the Serverfile of the working folder when the option is absent. */
export const configOption = {
  kind: "text",
  short: "c",
  value: "file",
  completes: "file",
  about: "Configuration to read; - reads standard input",
  defaultText: "Serverfile, else Caddyfile in the working folder",
} as const satisfies OptionDefinition;

/** `--adapter`: the format of `--config`. */
export const adapterOption = {
  kind: "text",
  short: "a",
  value: "name",
  choices: formats,
  about: "Format of that file",
  defaultText: "what its name says, else JSON",
} as const satisfies OptionDefinition;

/** `--envfile`: read before all other options, so that its variables apply to the config and to these options. */
export const environmentFileOption = {
  kind: "list",
  value: "file",
  completes: "file",
  about: "Sets the variables of a file of KEY=VALUE lines first; those that are set already stay",
} as const satisfies OptionDefinition;

/** Options of commands that send requests to a running server. */
export const adminOptions = {
  address: {
    kind: "text",
    value: "address",
    about: "Admin endpoint of the server: host:port, unix//path/to.sock",
    defaultText: "that of --config, else $SERVER_ADMIN, else localhost:2019",
  },
  config: {
    kind: "text",
    short: "c",
    value: "file",
    completes: "file",
    about: "Takes the address from this configuration",
  },
  adapter: adapterOption,
} as const satisfies Readonly<Record<string, OptionDefinition>>;
