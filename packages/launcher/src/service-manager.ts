import { spawn } from "node:child_process";

/**
 * Notifies systemd (`Type=notify`, `NotifyAccess=all`) through `systemd-notify`: Node cannot open the datagram socket
 * that NOTIFY_SOCKET names. When this variable or the program is missing, nothing happens. Source: sd_notify(3),
 * systemd-notify(1)
 */
export function tellServiceManager(state: "READY=1" | "STOPPING=1", status: string): Promise<void> {
  if ((process.env.NOTIFY_SOCKET ?? "") === "") {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const child = spawn("systemd-notify", [state, `STATUS=${status}`], { stdio: "ignore" });
    child.on("error", () => resolve());
    child.on("close", () => resolve());
  });
}
