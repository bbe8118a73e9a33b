// Stands in for the program's entry: a broker that cannot start.
process.stderr.write('brokertop: Port 1 is \u001b[31min use.\n');
process.exit(1);
