// Starts the program with the given arguments, passes on what it reports, and waits.
import { fork } from 'node:child_process';

const [entry, ...args] = process.argv.slice(2);
const child = fork(entry, args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
child.on('message', (message) => process.send(message));
