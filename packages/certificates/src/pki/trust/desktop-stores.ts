import { type Machine, runPrivileged, runProgram } from "./machine.ts";
import { checkResult, type TrustStore } from "./trust-store.ts";

/** The keychain of macOS. Source: security(1) */
export function macStore(machine: Machine): TrustStore {
  const keychain = "/Library/Keychains/System.keychain";
  const call = async (...args: string[]) =>
    checkResult(`security ${args[0]}`, await runPrivileged(machine, "security", args));
  return {
    name: `system (${keychain})`,
    install: ({ path }) => call("add-trusted-cert", "-d", "-k", keychain, path),
    remove: ({ path }) => call("remove-trusted-cert", "-d", path),
  };
}

/** The user's root store on Windows, which Caddy uses too. Source: certutil of Windows */
export function windowsStore(machine: Machine): TrustStore {
  const call = async (...args: string[]) =>
    checkResult(`certutil ${args[1]}`, await runProgram(machine, "certutil.exe", args));
  return {
    name: "system (user's ROOT store)",
    install: ({ path }) => call("-user", "-addstore", "-f", "ROOT", path),
    remove: ({ certificate }) => call("-user", "-delstore", "ROOT", certificate.serialNumber),
  };
}
