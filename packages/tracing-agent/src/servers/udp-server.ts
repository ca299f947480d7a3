import { DgramAsPromised, type SocketAsPromised, type SocketType } from "dgram-as-promised";
import { type HostPort, type Logger, listenError } from "lifecycle";
import { kernelDrops } from "./kernel-drops.ts";

/**
 * Size of the receive buffer, for packets that arrive while the agent is busy. The system allocates this memory only
 * while packets wait.
 */
const defaultReceiveBufferBytes = 4_194_304;

export interface UdpServerSettings {
  /** A name for logs and errors: "Thrift compact". */
  readonly what: string;
  readonly address: HostPort;
  /** The option that sets the address. */
  readonly flag: string;
  /** Requested receive buffer in bytes; 0 means as much as the system allows, up to 4 MiB. */
  readonly receiveBufferBytes: number;
  readonly log: Logger;
  /** Receives every packet within the socket's event; must neither throw nor wait. */
  onPacket(packet: Buffer): void;
  onError(error: Error): void;
}

export interface UdpServer {
  /** The port in use. For port 0 this is the port that the system chose. */
  readonly port: number;
  /**
   * Packets that the system dropped because the receive buffer was full; undefined when the system does not report
   * drops.
   */
  readonly kernelDrops: number | undefined;
  /** Accepts no more packets. */
  close(): Promise<void>;
}

/** Opens a UDP port. @throws StartError when the port cannot be opened */
export async function openUdpServer(settings: UdpServerSettings): Promise<UdpServer> {
  const { what, address, flag, log } = settings;
  try {
    const socket = await bind(settings);
    socket.socket.on("error", (error) => {
      log.error({ err: error }, `${what}: socket error`);
      settings.onError(error);
    });
    setReceiveBuffer(socket, settings);
    const { port, address: host } = socket.address();
    log.info({ host, port }, `${what} listening`);
    return {
      port,
      get kernelDrops() {
        return kernelDrops(host, port);
      },
      close: () => socket.close(),
    };
  } catch (error) {
    throw listenError(error, what, address.text, flag);
  }
}

/** Binds the socket. "" means every address of the machine: IPv6 and IPv4, or only IPv4 on a machine without IPv6. */
async function bind({ address, onPacket }: UdpServerSettings): Promise<SocketAsPromised> {
  const { host, port } = address;
  const open = async (type: SocketType, at: string | undefined): Promise<SocketAsPromised> => {
    // A callback receives packets, because a promise for each packet would cost most of the
    // time.
    const socket = DgramAsPromised.createSocket({ type }, onPacket);
    await socket.bind(at === undefined ? { port } : { port, address: at });
    return socket;
  };
  if (host !== "") {
    return open(host.includes(":") ? "udp6" : "udp4", host);
  }
  try {
    return await open("udp6", undefined);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAFNOSUPPORT") {
      return open("udp4", undefined);
    }
    throw error;
  }
}

function setReceiveBuffer(
  socket: SocketAsPromised,
  { what, receiveBufferBytes, log }: UdpServerSettings,
): void {
  if (receiveBufferBytes === 0) {
    socket.setRecvBufferSize(defaultReceiveBufferBytes);
    return;
  }
  socket.setRecvBufferSize(receiveBufferBytes);
  const given = socket.getRecvBufferSize();
  if (given < receiveBufferBytes) {
    log.warn(
      `${what}: socket buffer is ${given} bytes, not ${receiveBufferBytes}: the system allows no more`,
    );
  }
}
