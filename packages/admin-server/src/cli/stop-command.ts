import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { exitCodes, parseOptions, StartError } from "lifecycle";
import { z } from "zod";
import { parseAdminAddress } from "../admin/admin-endpoint.ts";
import { messageOf } from "../core/errors.ts";
import { adminAddressOf } from "../server.ts";
import { readConfig } from "./read-config.ts";

const stopOptions = z.object({ address: z.string().default(""), config: z.string().default("") });
const configWithAdmin = z.object({ admin: z.object({ listen: z.string() }) });

async function addressFor(options: z.infer<typeof stopOptions>): Promise<string> {
  if (options.address === "" && options.config !== "") {
    const config = configWithAdmin.safeParse(
      JSON.parse(Buffer.from(await readConfig(options.config, "")).toString()),
    );
    if (config.success) {
      return config.data.admin.listen;
    }
  }
  return options.address || adminAddressOf(process.env);
}

/** `server stop`: asks through the admin API. @returns the exit code */
export async function stopCommand(args: readonly string[]): Promise<number> {
  const { options } = parseOptions(stopOptions, { arguments: args, environment: {} });
  const where = await addressFor(options);
  const address = parseAdminAddress(where);
  if (address.network === "fd") {
    throw new StartError(`cannot ask ${where} from another process`);
  }
  const target =
    address.network === "unix"
      ? { socketPath: address.path }
      : { host: address.host || "localhost", port: address.port };
  const request = httpRequest({ ...target, method: "POST", path: "/stop" });
  request.end();
  let response: IncomingMessage;
  try {
    [response] = (await once(request, "response")) as [IncomingMessage];
  } catch (error) {
    throw new StartError(`no server answers on ${where}: ${messageOf(error)}`, { cause: error });
  }
  const body = await text(response);
  if (response.statusCode !== 200) {
    throw new StartError(`the server on ${where} answered ${response.statusCode}: ${body.trim()}`);
  }
  return exitCodes.success;
}
