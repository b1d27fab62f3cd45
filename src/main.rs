//! Arguments in, exit code out; everything else is in the library.
use clap::Parser;
#[derive(Parser)]
enum Cli { Parse(harness_check::cli::parse::ParseArgs) }
fn main() -> anyhow::Result<()> {
    let Cli::Parse(args) = Cli::parse();
    harness_check::cli::parse::run(&args, std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()))
}
