package io.shardsim.scenarios.keeping;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;

/** The real disk, on which one of the changing operations fails: the first, the second, and so on. */
final class FailingDisk extends FileSystem {
    /** Kind of failure. */
    enum Fault {
        /** Writes a part of the data; later operations succeed. */
        FULL,
        /** Changes nothing; later operations succeed. */
        NO_PERMISSION,
        /** Writes a part of the data; nothing happens afterwards. */
        KILLED
    }

    /** End of the process, which no failure handler survives. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final FileSystem real;
    private final Fault fault;
    private final Provider provider;
    private int left;
    private boolean dead;

    private FailingDisk(FileSystem real, Fault fault, int operation) {
        this.real = real;
        this.fault = fault;
        left = operation;
        provider = new Provider();
    }

    /**
     * Returns a folder, as seen by a process, on which one operation fails.
     *
     * @param operation index of the failing operation, from 1
     */
    static Path seen(Path folder, Fault fault, int operation) {
        return new FailingDisk(folder.getFileSystem(), fault, operation).wrap(folder);
    }

    /** Returns whether the failing operation has been reached. */
    static boolean hasFailed(Path seen) {
        return ((FailingDisk) seen.getFileSystem()).left <= 0;
    }

    /** Returns whether the current operation is the one that fails partially. */
    private boolean failsNow(Path path) throws IOException {
        if (dead) {
            throw new Killed();
        }
        if (--left != 0) {
            return false;
        }
        if (fault == Fault.NO_PERMISSION) {
            throw new AccessDeniedException(path.toString());
        }
        dead = fault == Fault.KILLED;
        return true;
    }

    private void change(Path path) throws IOException {
        if (failsNow(path)) {
            fail(path);
        }
    }

    private void fail(Path path) throws IOException {
        if (dead) {
            throw new Killed();
        }
        throw new FileSystemException(path.toString(), null, "No space left on device");
    }

    private Path wrap(Path path) {
        return (Path) Proxy.newProxyInstance(
                Path.class.getClassLoader(), new Class<?>[] {Path.class}, (self, method, given) -> {
                    if (method.getName().equals("getFileSystem")) {
                        return this;
                    }
                    Object[] arguments = given == null ? new Object[0] : given.clone();
                    for (int i = 0; i < arguments.length; i++) {
                        arguments[i] = arguments[i] instanceof Path other ? unwrap(other) : arguments[i];
                    }
                    try {
                        Object result = method.invoke(path, arguments);
                        return result instanceof Path other ? wrap(other) : result;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    private static Path unwrap(Path path) {
        return Proxy.isProxyClass(path.getClass()) ? Path.of(path.toString()) : path;
    }

    private final class Provider extends FileSystemProvider {
        private final FileSystemProvider disk = real.provider();

        @Override
        public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
            change(path);
            return new FilterOutputStream(disk.newOutputStream(unwrap(path), options)) {
                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    boolean fails = failsNow(path);
                    out.write(bytes, from, fails ? length / 2 : length);
                    if (fails) {
                        fail(path);
                    }
                }
            };
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            change(path);
            return disk.newFileChannel(unwrap(path), options, attributes);
        }

        @Override
        public void move(Path from, Path to, CopyOption... options) throws IOException {
            change(from);
            disk.move(unwrap(from), unwrap(to), options);
        }

        @Override
        public void delete(Path path) throws IOException {
            change(path);
            disk.delete(unwrap(path));
        }

        @Override
        public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
            change(path);
            disk.createDirectory(unwrap(path), attributes);
        }

        @Override
        public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
            return disk.newInputStream(unwrap(path), options);
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            return disk.newByteChannel(unwrap(path), options, attributes);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            return disk.newDirectoryStream(unwrap(path), filter);
        }

        @Override
        public void copy(Path from, Path to, CopyOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isSameFile(Path path, Path other) throws IOException {
            return disk.isSameFile(unwrap(path), unwrap(other));
        }

        @Override
        public boolean isHidden(Path path) throws IOException {
            return disk.isHidden(unwrap(path));
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return disk.getFileStore(unwrap(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            disk.checkAccess(unwrap(path), modes);
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
            return disk.getFileAttributeView(unwrap(path), type, options);
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            return disk.readAttributes(unwrap(path), type, options);
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String names, LinkOption... options) throws IOException {
            return disk.readAttributes(unwrap(path), names, options);
        }

        @Override
        public void setAttribute(Path path, String name, Object value, LinkOption... options) throws IOException {
            disk.setAttribute(unwrap(path), name, value, options);
        }

        @Override
        public String getScheme() {
            return "failing";
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getPath(URI uri) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return real.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return real.getRootDirectories();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return real.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return real.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return wrap(real.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        return real.getPathMatcher(pattern);
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return real.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() throws IOException {
        return real.newWatchService();
    }
}
