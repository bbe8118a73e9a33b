import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

// Unit tests share workers and have to be fast: one that needs a socket or a process belongs in another project.
function refuse(): never {
  throw new Error('A unit test may not open a socket or start a process. See test/README.md.');
}

Object.assign(Server.prototype, { listen: refuse });
Object.assign(Socket.prototype, { connect: refuse });
Object.assign(ChildProcess.prototype, { spawn: refuse });
