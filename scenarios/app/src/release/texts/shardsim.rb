class Shardsim < Formula
  desc "Discrete-event simulator of sharded training on GPU clusters"
  homepage "${release.address}"
  url "${release.address}/releases/download/v${project.version}/shardsim-${project.version}-any.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "openjdk"

  def install
    man1.install Dir["share/man/man1/*"]
    libexec.install Dir["*"]
    (bin/"shardsim").write_env_script libexec/"bin/shardsim", Language::Java.overridable_java_home_env
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/shardsim version")
  end
end
