/** The command line, the environment or a file it names is wrong. The program prints `message` and exits with 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}
